import { expose } from 'comlink';
import { LanguageService } from '#engine/analysis/language-service.js';

expose(new LanguageService());
