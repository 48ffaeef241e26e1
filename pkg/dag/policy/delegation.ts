import type { NamespacedName } from '../../config/config.ts';
import type { Reader } from '../../kubernetes-cache/reader.ts';

/** Reads a reference to a Secret: `name` is in the namespace of who refers, `namespace/name` may be elsewhere. */
export function secretRef(text: string, ownNamespace: string): NamespacedName {
  const slash = text.indexOf('/');
  if (slash < 0) return { namespace: ownNamespace, name: text };
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/**
 * Whether objects of a namespace may use a Secret: it is their own, or a TLSCertificateDelegation beside the Secret
 * names their namespace. `*` stands for all namespaces, and only where it is the sole entry.
 */
export function isDelegated(reader: Reader, secret: NamespacedName, targetNamespace: string): boolean {
  if (secret.namespace === targetNamespace) return true;
  return reader.list('delegations-in', secret.namespace).some((ref) => {
    const delegations = reader.get('TLSCertificateDelegation', ref.namespace, ref.name)?.spec?.delegations ?? [];
    return delegations.some(
      ({ secretName, targetNamespaces }) =>
        secretName === secret.name &&
        (targetNamespaces.includes(targetNamespace) || (targetNamespaces.length === 1 && targetNamespaces[0] === '*')),
    );
  });
}
