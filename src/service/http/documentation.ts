import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Path of the page. The page contains nothing about this server's models and is served without a token. */
const DOCUMENTATION = '/docs';

/** Icon of the page: a leaping arc. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d6f5c"/>
<path d="M5 24 Q11 4 17 17 T27 24" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`;

/** Allows the page's own files and requests, and the style attributes and data images that Swagger UI inserts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STYLE = '.swagger-ui .topbar { display: none }';

/** Opens the dialog for the token once the page has loaded. */
const ASK_FOR_TOKEN = `const asking = setInterval(() => {
  const button = document.querySelector('.swagger-ui .btn.authorize');
  if (button === null) return;
  clearInterval(asking);
  button.click();
}, 50);`;

/** Interactive documentation of the interface. */
export async function addDocumentation(app: FastifyInstance, requiresToken: boolean): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: DOCUMENTATION,
    staticCSP: POLICY,
    uiConfig: { deepLinking: true, docExpansion: 'list', tryItOutEnabled: true },
    theme: {
      title: 'Leapfrog',
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: ICON }],
      css: [{ filename: 'page.css', content: STYLE }],
      ...(requiresToken && { js: [{ filename: 'token.js', content: ASK_FOR_TOKEN }] }),
    },
  });
}

/** Redirects `/` to the page, for servers without the workbench. */
export function leadToDocumentation(app: FastifyInstance): void {
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect(DOCUMENTATION));
}

/** Whether a route belongs to the page. */
export function isDocumentation(route: string | undefined): boolean {
  return route === '/' || route === DOCUMENTATION || (route?.startsWith(`${DOCUMENTATION}/`) ?? false);
}
