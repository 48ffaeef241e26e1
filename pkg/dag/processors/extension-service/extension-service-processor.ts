import { refOf } from '../../../apis/meta.ts';
import { emptyContribution } from '../../contribution.ts';
import { extensionServiceFindings } from '../../policy/extension-service.ts';
import type { Processor } from '../../processor.ts';

/** The front end for ExtensionServices: each without errors brings its upstream, whether anything refers to it or not. @see reference 3.14 */
export const extensionServiceProcessor: Processor = {
  kinds: ['ExtensionService'],
  process(root, reader, config) {
    const object = reader.get('ExtensionService', root.namespace, root.name);
    if (object === undefined) return emptyContribution;
    const { cluster, errors, warnings } = extensionServiceFindings(reader, config, object);
    const generation = object.metadata.generation ?? 0;
    return {
      ...emptyContribution,
      ...(cluster !== undefined && { extensionCluster: cluster }),
      statuses: [{ type: 'detailed', object: refOf(object), generation, errors, warnings }],
    };
  },
};
