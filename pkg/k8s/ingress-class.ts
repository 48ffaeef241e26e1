import type { KubeObject } from '../apis/meta.ts';

/** An object that chooses its controller by class: an Ingress or an HTTPProxy. */
export interface ClassedObject extends KubeObject {
  readonly spec?: { readonly ingressClassName?: string };
}

/**
 * The ingress class that an object names; `''` if it names none. A non-empty annotation beats the field, and
 * `projectcontour.io/ingress.class` hides `kubernetes.io/ingress.class` even where it is empty.
 */
export function ingressClassOf(object: ClassedObject): string {
  const annotations = object.metadata.annotations;
  const annotation = annotations?.['projectcontour.io/ingress.class'] ?? annotations?.['kubernetes.io/ingress.class'];
  return annotation || (object.spec?.ingressClassName ?? '');
}

/**
 * Whether an object is ours. With no configured class names: objects without a class, and those of class `contour`.
 * With some: exactly those of one of them. IngressClass objects are not looked at.
 */
export function ingressClassMatches(object: ClassedObject, classNames: readonly string[]): boolean {
  const name = ingressClassOf(object);
  return classNames.length === 0 ? name === '' || name === 'contour' : classNames.includes(name);
}
