/** The HTTP reference: an OpenAPI description as one Markdown page, with a section for each endpoint and for each schema. */

/** Anchors of schemas and of operations, which must differ from those of the tags. */
const schemaAnchor = (name) => `schema-${name.toLowerCase()}`;
const operationAnchor = (identifier) => `operation-${identifier.toLowerCase()}`;

/** Text that VitePress must not read as HTML, as a template or as the end of a table cell. */
const escaped = (text) =>
  text.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;').replaceAll('|', '\\|').replaceAll('\n', ' ');

const isPlain = (schema) => schema !== undefined && Object.keys(schema).length === 0;

/** A schema in a few words; `Name` links to the section of a component. */
function typeOf(schema) {
  if (schema === undefined || isPlain(schema)) return 'any JSON value';
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return `[${name}](#${schemaAnchor(name)})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return [...new Set(branches.map(typeOf))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' and ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return schema.type ?? 'any JSON value';
}

/** Default and limits of a value, in addition to its type. */
function limitsOf(schema) {
  const limits = [
    ['default', 'default'],
    ['minimum', 'at least'],
    ['exclusiveMinimum', 'greater than'],
    ['maximum', 'at most'],
    ['exclusiveMaximum', 'less than'],
    ['maxLength', 'maximum length'],
  ];
  return limits
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => `${words} \`${JSON.stringify(schema[key])}\``);
}

function describe(schema, description = schema.description) {
  const limits = limitsOf(schema).join(', ');
  const parts = [description, limits && `${limits[0].toUpperCase()}${limits.slice(1)}.`];
  return parts
    .filter(Boolean)
    .map((part) => part.replace(/(?<![.!?])$/, '.'))
    .join(' ');
}

function table(headings, rows) {
  if (rows.length === 0) return [];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line), ''];
}

/** Rows of an object's members, including those of objects that are written in place. */
function members(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ? 'yes' : 'no';
    const row = [`\`${path}\``, escaped(typeOf(member)), required, escaped(describe(member))];
    const inner = member.type === 'array' ? member.items : member;
    const suffix = member.type === 'array' ? '[].' : '.';
    return [row, ...members(inner ?? {}, `${path}${suffix}`)];
  });
}

/** The members of a schema, or its type if it is not an object. */
function schemaSection(schema) {
  const rows = members(schema.type === 'array' ? (schema.items ?? {}) : schema);
  if (rows.length > 0) return table(['member', 'type', 'required', 'description'], rows);
  return [`Type: ${escaped(typeOf(schema))}.`, ''];
}

function contentSections(content = {}) {
  const [[type, { schema } = {}] = []] = Object.entries(content);
  if (schema === undefined) return [];
  const types = Object.keys(content)
    .map((name) => `\`${name}\``)
    .join(', ');
  if (schema.$ref !== undefined) return [`${typeOf(schema)} as ${types}.`, ''];
  if (schema.type === 'object' && isPlain(schema.properties)) return [`An empty object as ${types}.`, ''];
  return [
    `As ${types}${type === 'application/json' ? ':' : '.'}`,
    '',
    ...(type === 'application/json' ? schemaSection(schema) : []),
  ];
}

function operationSection(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(({ name, in: location, required, schema, description }) => [
    `\`${name}\``,
    location,
    escaped(typeOf(schema)),
    required ? 'yes' : 'no',
    escaped(describe(schema, description ?? schema.description)),
  ]);
  const body = operation.requestBody;
  const [successes, failures] = ['2', '4'].map((first) =>
    Object.entries(operation.responses).filter(([code]) => (first === '2' ? code < '300' : code >= '300')),
  );
  return [
    `### \`${method.toUpperCase()} ${path}\` {#${operationAnchor(operation.operationId)}}`,
    '',
    `${escaped(operation.summary)}.`,
    '',
    ...(operation.description ? [escaped(operation.description), ''] : []),
    ...(parameters.length > 0
      ? ['**Parameters**', '', ...table(['name', 'in', 'type', 'required', 'description'], parameters)]
      : []),
    ...(body ? [`**Request body**${body.required ? '' : ' (optional)'}`, '', ...contentSections(body.content)] : []),
    ...successes.flatMap(([code, { description, content }]) => [
      `**Response ${code}**`,
      '',
      ...(description.includes(' ') ? [escaped(description), ''] : []),
      ...contentSections(content),
    ]),
    ...(failures.length > 0
      ? [`Errors: ${failures.map(([code]) => code).join(', ')}, each with an ${typeOf({ $ref: 'Error' })}.`, '']
      : []),
  ];
}

/** The page of an OpenAPI description. Sections have the order of its tags. */
export function httpReference({ info, tags, paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const sections = tags.flatMap(({ name, description }) => [
    `## ${name}`,
    '',
    escaped(description),
    '',
    ...operations
      .filter(({ operation }) => operation.tags?.includes(name))
      .flatMap(({ method, path, operation }) => operationSection(method, path, operation)),
  ]);
  const schemas = Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, schema]) => [
      `### ${name} {#${schemaAnchor(name)}}`,
      '',
      ...(schema.description ? [escaped(schema.description), ''] : []),
      ...schemaSection(schema),
    ]);
  return [
    '# HTTP reference',
    '',
    `${info.description} This page is generated from the OpenAPI description that a server returns at`,
    '`/v1/openapi.json`. [HTTP interface](../http.md) shows a session.',
    '',
    ...sections,
    '## Schemas',
    '',
    ...schemas,
  ].join('\n');
}
