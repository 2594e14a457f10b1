/** An object with some of its properties replaced. */
export function over<Target extends object>(target: Target, replaced: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in replaced ? replaced : target, name);
      return typeof value === 'function' && !(name in replaced) ? value.bind(target) : value;
    },
  });
}
