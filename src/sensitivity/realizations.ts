import type { Model } from '../search/methods/gp/model.ts';
import { Stream } from '../campaign/sampling/stream.ts';
import { dotOf } from '../statistics/sample.ts';

/**
 * Number of random features of a realization. With so many features, their error is far below the uncertainty of a
 * model of some hundred points.
 */
const FEATURES = 500;
/** The spectral density of the Matérn covariance with ν = 5/2 is Student's t with this number of degrees of freedom. */
const FREEDOM = 5;

/**
 * Realizations of a Gaussian process at many places at once, given the fitted values. A realization of the prior is a
 * sum of random cosines (A. Rahimi and B. Recht, "Random features for large-scale kernel machines", NIPS 20 (2007),
 * algorithm 1). A correction then makes the realization fit the values (J. T. Wilson et al., "Efficiently sampling
 * functions from Gaussian process posteriors", ICML (2020), section 3).
 */
export class Realizations {
  readonly #model: Model;
  readonly #stream: Stream;
  /** For each place, its covariances with the points. */
  readonly #cross: Float64Array[];
  /** The random features of each place. */
  readonly #placeFeatures: Float64Array[];
  /** The random features of each point. */
  readonly #pointFeatures: Float64Array[];

  /** @param places - integers and choices must be at the middle of their level */
  constructor(model: Model, places: readonly (readonly number[])[], seed: number) {
    const { posterior } = model;
    this.#model = model;
    this.#stream = new Stream(seed, 'realizations');
    this.#cross = places.map((place) =>
      Float64Array.from(posterior.points, (point) => posterior.covariance.between(place, point)),
    );
    const featuresOf = this.#drawFeatures();
    this.#placeFeatures = places.map(featuresOf);
    this.#pointFeatures = posterior.points.map(featuresOf);
  }

  /** The prediction at each place: the value whose warped value is expected there, in the units of the values. */
  mean(): Float64Array {
    const { posterior, fit } = this.#model;
    const weights = posterior.solved(Float64Array.from(posterior.values));
    return Float64Array.from(this.#cross, (covariances) => fit.warp.value(dotOf(covariances, weights)));
  }

  /** The next realization at each place, in the units of the values. */
  next(): Float64Array {
    const { posterior, fit } = this.#model;
    const stream = this.#stream;
    const weights = Float64Array.from({ length: FEATURES }, () => stream.normal());
    const common = Math.sqrt(fit.parameters.constant) * stream.normal();
    const misses = Float64Array.from(
      posterior.values,
      (value, at) =>
        value -
        common -
        dotOf(this.#pointFeatures[at]!, weights) -
        Math.sqrt(posterior.noise[at]!) * stream.normal(),
    );
    const moves = posterior.solved(misses);
    return Float64Array.from(this.#placeFeatures, (features, at) =>
      fit.warp.value(common + dotOf(features, weights) + dotOf(this.#cross[at]!, moves)),
    );
  }

  /** Draws random features, and returns a function that gives their values at a place. */
  #drawFeatures(): (x: readonly number[]) => Float64Array {
    const { dimensions, fit } = this.#model;
    const { lengths, signal } = fit.parameters;
    const stream = this.#stream;
    // any two levels of a choice have the same distance as 0 and 1, so each level gets a coordinate of its own
    const embedded = (x: readonly number[]): number[] =>
      dimensions.flatMap((dimension, at) => {
        const length = lengths[at]!;
        if (dimension.kind !== 'choice') return [x[at]! / length];
        const own = Math.floor(x[at]! * dimension.levels);
        return Array.from({ length: dimension.levels }, (_, level) =>
          level === own ? Math.SQRT1_2 / length : 0,
        );
      });
    const size = embedded(dimensions.map(() => 0.5)).length;
    const waves = Array.from({ length: FEATURES }, () => {
      let squares = 0;
      for (let at = 0; at < FREEDOM; at += 1) squares += stream.normal() ** 2;
      const scale = Math.sqrt(FREEDOM / squares);
      const wave = Float64Array.from({ length: size }, () => scale * stream.normal());
      return { wave, phase: 2 * Math.PI * stream.uniform() };
    });
    const height = Math.sqrt((2 * signal) / FEATURES);
    return (x) => {
      const place = Float64Array.from(embedded(x));
      return Float64Array.from(waves, ({ wave, phase }) => height * Math.cos(dotOf(wave, place) + phase));
    };
  }
}
