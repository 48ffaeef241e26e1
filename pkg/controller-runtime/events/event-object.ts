import type { KubeObject, ResourceKind } from '../client/object.ts';
import { microTime } from '../leaderelection/lease.ts';

/** What to tell people about an object. */
export interface Occurrence {
  /** Default: `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  /** Why, as one word in camel case. At most 128 characters. */
  readonly reason: string;
  /** What was done or tried, as one word in camel case. At most 128 characters. */
  readonly action: string;
  /** A sentence. What is beyond 1,024 bytes is cut off. */
  readonly note: string;
  /** Another object that it is about. */
  readonly related?: KubeObject;
}

/** `core/v1` ObjectReference as far as Events have it. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** `events.k8s.io/v1` Event. */
export interface EventObject extends KubeObject {
  readonly kind: 'Event';
  readonly eventTime: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** How often something happened, and when last. */
export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: Date;
}

export const eventKind: ResourceKind = { kind: 'Event', group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true };

const maxWord = 128;
const maxNoteBytes = 1_024;
const maxName = 253;

/** The Event that tells of an occurrence for the first time. Events about cluster-scoped objects are in `default`. */
export function eventOf(
  object: KubeObject,
  { type = 'Normal', reason, action, note, related }: Occurrence,
  {
    controller,
    instance,
    date,
    suffix,
  }: { readonly controller: string; readonly instance: string; readonly date: Date; readonly suffix: string },
): EventObject {
  const { name, namespace = '' } = object.metadata;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, maxName - suffix.length - 1)}.${suffix}`, namespace: namespace === '' ? 'default' : namespace },
    eventTime: microTime(date),
    type,
    reason: reason.slice(0, maxWord),
    action: action.slice(0, maxWord),
    note: cut(note, maxNoteBytes),
    regarding: referenceTo(object),
    ...(related !== undefined && { related: referenceTo(related) }),
    reportingController: controller,
    reportingInstance: instance.slice(0, maxWord),
  };
}

/** A merge patch that shows how often it has happened by now. */
export function seriesPatch({ count, lastObservedTime }: EventSeries): Pick<EventObject, 'series'> {
  return { series: { count: Math.max(2, count), lastObservedTime: microTime(lastObservedTime) } };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** At most so many bytes of UTF-8, with no half character at the end. */
function cut(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= limitBytes
    ? text
    : bytes
        .subarray(0, limitBytes)
        .toString('utf8')
        .replace(/\uFFFD+$/, '');
}
