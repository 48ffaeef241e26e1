import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

// Field numbers of envoy.config.cluster.v3.Cluster and its EdsClusterConfig.
const nameField = 1;
const discoveryTypeField = 2;
const edsConfigField = 3;
const healthChecksField = 8;
const transportSocketField = 24;
const serviceNameField = 2;
const edsType = 3;

/**
 * The ClusterLoadAssignment that a serialised Cluster asks for, or `undefined` if its endpoints do not come by EDS. It reads these
 * few fields only, because it is done for each cluster that is sent. Bytes that are no Cluster ask for none: it is for the client to
 * refuse them.
 */
export function edsServiceName(cluster: Uint8Array): string | undefined {
  try {
    return readEdsServiceName(cluster);
  } catch {
    return undefined;
  }
}

/**
 * Whether a serialised Cluster serves as soon as it has its ClusterLoadAssignment: it waits for no name server, no health check and no
 * secret.
 */
export function needsEndpointsOnly(cluster: Uint8Array): boolean {
  if (edsServiceName(cluster) === undefined) return false;
  const reader = new BinaryReader(cluster);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === healthChecksField || field === transportSocketField) return false;
    reader.skip(wireType, field);
  }
  return true;
}

function readEdsServiceName(cluster: Uint8Array): string | undefined {
  let name = '';
  let serviceName = '';
  let discoveryType = 0;
  const reader = new BinaryReader(cluster);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === nameField && wireType === WireType.LengthDelimited) name = reader.string();
    else if (field === discoveryTypeField && wireType === WireType.Varint) discoveryType = reader.int32();
    else if (field === edsConfigField && wireType === WireType.LengthDelimited) serviceName = stringField(reader.bytes(), serviceNameField);
    else reader.skip(wireType, field);
  }
  if (discoveryType !== edsType) return undefined;
  return serviceName === '' ? name : serviceName;
}

function stringField(message: Uint8Array, wanted: number): string {
  let value = '';
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === wanted && wireType === WireType.LengthDelimited) value = reader.string();
    else reader.skip(wireType, field);
  }
  return value;
}
