interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly errors?: readonly Condition[];
  readonly warnings?: readonly Condition[];
}

interface StatusFields {
  readonly currentStatus?: string;
  readonly conditions?: readonly Condition[];
  readonly listeners?: readonly { readonly name: string; readonly attachedRoutes: number; readonly conditions: readonly Condition[] }[];
  readonly parents?: readonly { readonly parentRef: { readonly sectionName?: string }; readonly conditions: readonly Condition[] }[];
}

/**
 * A status in short. Of an HTTPProxy: `valid`, `orphaned` or its errors as `Type/Reason`. Of a route: the conditions of each parent as
 * `Type=Status/Reason` or, true for the reason of its own name, `Type`, in order, parents by `;`, after the section that they name. Of a Gateway: its conditions. `none` where there is no status.
 */
export function statusSummary(status: Readonly<Record<string, unknown>> | undefined): string {
  if (status === undefined) return 'none';
  const { currentStatus, conditions = [], parents } = status as StatusFields;
  if (parents !== undefined) {
    return parents
      .map(({ parentRef: { sectionName }, conditions }) =>
        [...(sectionName === undefined ? [] : [`${sectionName}:`]), ...inWords(conditions)].join(' '),
      )
      .join('; ');
  }
  if (currentStatus === undefined) return inWords(conditions).join(' ');
  if (currentStatus !== 'invalid') return currentStatus;
  return conditions.flatMap(({ errors = [] }) => errors.map(({ type, reason }) => `${type}/${reason}`)).join(' ');
}

/** Every message of a status, in lines. */
export function statusText(status: Readonly<Record<string, unknown>> | undefined): string {
  const { conditions = [], parents = [], listeners = [] } = (status ?? {}) as StatusFields;
  const all = [...conditions, ...[...parents, ...listeners].flatMap((part) => part.conditions)];
  return all
    .flatMap(({ message, errors = [], warnings = [] }) => [message, ...[...errors, ...warnings].map((inner) => inner.message)])
    .join('\n');
}

function inWords(conditions: readonly Condition[]): readonly string[] {
  return conditions.map(({ type, status, reason }) => (status === 'True' && reason === type ? type : `${type}=${status}/${reason}`)).sort();
}
