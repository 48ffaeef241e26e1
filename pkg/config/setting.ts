import type { ValueType } from './value-type.ts';

/** Where a setting may come from, how it is read, and what it is when nobody gives it. */
export interface Setting<T> {
  readonly type: ValueType<T>;
  readonly default: T;
  /** Dotted key in the configuration file. */
  readonly file?: string;
  /** Flag of `serve`, without the dashes. */
  readonly flag?: string;
  /** One letter that stands for the flag. */
  readonly short?: string;
  /** Environment variable that stands in for the flag. */
  readonly env?: string;
  /** Flag that may be given many times, each time with one value. */
  readonly repeatable?: true;
  /**
   * Dotted path below `spec` of a ContourConfiguration. A setting that has one is taken from nowhere else once
   * `--contour-config-name` is given.
   */
  readonly crd?: string;
  /** How it is read there, if another way than in the file. */
  readonly crdType?: ValueType<T>;
  /** What it is there when it is absent, if another value than `default`. `null`: not set. */
  readonly crdDefault?: T;
  /** The file beats the flag. Everywhere else a flag beats the file. */
  readonly fileWins?: true;
  /** A line of the usage text. */
  readonly help?: string;
}

/** Declares a setting; the value's type is that of `type`. */
export function setting<const T>(spec: Setting<T> & { readonly default: NoInfer<T> }): Setting<T> {
  return spec;
}

/** Declares a setting that may be not set at all. */
export function optionalSetting<T>(spec: Omit<Setting<T>, 'default'>): Setting<T | undefined> {
  return { default: undefined, ...spec } as Setting<T | undefined>;
}

/** The values of a table of settings. */
export type ValuesOf<S extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};
