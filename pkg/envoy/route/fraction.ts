import { FractionalPercent, FractionalPercent_DenominatorType } from '../../envoy-api/envoy/type/v3/percent.ts';

const million = 1_000_000;

/** A share of 0 to 1 in Envoy's form. A share that is more than nothing does not become nothing. */
export function fractionOfMillion(share: number): FractionalPercent {
  const numerator = share > 0 ? Math.max(1, Math.round(share * million)) : 0;
  return FractionalPercent.fromPartial({ numerator: Math.min(numerator, million), denominator: FractionalPercent_DenominatorType.MILLION });
}
