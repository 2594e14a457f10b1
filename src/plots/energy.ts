import { energyFraction } from '../inference/diagnostics/energy.js';
import { kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { mean } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { extentOf } from './scale.js';
import type { Mark, Plot, Quantity, Size } from './scene.js';
import { wordsOf } from './words.js';

/**
 * The distribution of the energy about its mean, and that of its changes between consecutive draws (Betancourt 2016, arXiv:1604.00695). If
 * the changes are much narrower, the sampler explores the tails too slowly.
 */
export function energyPlot({ chains }: Pick<Quantity, 'chains'>, size: Size): Plot {
  const words = wordsOf(size);
  const centered = joined(chains.map((chain) => less(chain, mean(chain))));
  const changes = joined(chains.map((chain) => chain.slice(1).map((value, k) => value - chain[k])));
  const densities = [kernelDensity(centered), kernelDensity(changes)];
  const found = densities.flatMap((density) => density ?? []);
  const { x, y, marks } = frame(size, {
    x: extentOf(...found.map(({ values }) => values)),
    y: [0, extentOf(...found.map((each) => each.densities))[1] * 1.05],
    yTicks: false,
    xLabel: words('energy'),
  });
  const inks = ['accent', 'text'] as const;
  const curves = densities.flatMap((density, k): Mark[] => {
    if (density === undefined) return [];
    const points = [...density.values].flatMap((value, at) => [x(value), y(density.densities[at])]);
    return [{ kind: 'line', points, ink: inks[k], width: 1.5, ...(k === 1 && { dash: '5 3' }) }];
  });
  const fractions = chains.map(energyFraction);
  return {
    ...size,
    title: words('energyTitle'),
    description: words('energyAbout', { least: words.short(Math.min(...fractions), 2) }),
    marks: [
      ...marks,
      ...curves,
      { kind: 'text', x: x.range[0] + 8, y: y.range[1] + 12, text: `— ${words('energy')}`, ink: 'accent', size: 11 },
      { kind: 'text', x: x.range[0] + 8, y: y.range[1] + 27, text: `- - ${words('changes')}`, ink: 'text', size: 11 },
    ],
    table: () => ({
      columns: [words('curve'), words('value'), words('density')],
      rows: densities.flatMap((density, k) =>
        density === undefined
          ? []
          : [...density.values].map((value, at) => [
              words(k === 0 ? 'energy' : 'changes'),
              value,
              density.densities[at],
            ]),
      ),
    }),
  };
}

function less(values: Float64Array, center: number): Float64Array {
  return values.map((value) => value - center);
}

function joined(chains: readonly Float64Array[]): Float64Array {
  return Float64Array.from(chains.flatMap((chain) => [...chain]));
}
