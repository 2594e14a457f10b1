import { expose } from 'comlink';
import { LanguageService } from '#engine/editing/language-service.js';

expose(new LanguageService());
