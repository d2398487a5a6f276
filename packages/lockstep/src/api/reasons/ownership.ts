/** Reasons of objects that change hands between units, or that other units have. */
import { countText, itemText } from './nameof.ts'
import { number, oneOf, reason, text } from './reason.ts'
import { oneOrMore, type WaitRefOf } from './waitref.ts'

const claim: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'data',
  namespace: 'shop',
  cluster: 'cluster-1',
  object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
}
const receiver: WaitRefOf<'Unit'> = {
  kind: 'Unit',
  name: 'shop-v2',
  namespace: 'platform',
  cluster: 'cluster-1',
}

export const ownershipReasons = {
  WaitingForClaims: reason({
    actor: 'none',
    on: oneOrMore('Object', 'Module'),
    facts: {
      because: oneOf('Unpublished', 'Unread', 'Binding', 'OwnRevision'),
      /** Module whose objects are not known. */
      module: text,
      /** Name of the revision or of the binding. */
      detail: text.optional(),
    },
    message: (f) => {
      const waiting = `cannot delete ${itemText(f)} yet`
      switch (f.because) {
        case 'Unpublished':
          return `${waiting}: the spec of Module ${f.module} is not published`
        case 'Unread':
          return `${waiting}: the objects of revision ${f.detail} of Module ${f.module} cannot be read`
        case 'Binding':
          return `${waiting}: $(${f.detail}) of Module ${f.module} has no value`
        case 'OwnRevision':
          return `${waiting}: another revision of Module ${f.module} has it`
      }
    },
    meaning: 'Another Module, or another revision, may have an object that is to be deleted.',
    advice: (f) => {
      switch (f.because) {
        case 'Unpublished':
          return `no action needed: continues when Module ${f.module} is published, or after 10 minutes`
        case 'Unread':
          return `restore the bundle of Module ${f.module}, or publish another revision: lockstep reconcile ${f.module}`
        case 'Binding':
          return `give $(${f.detail}) of Module ${f.module} a value`
        case 'OwnRevision':
          return `no action needed: continues when Module ${f.module} is deployed at the other revision`
      }
    },
    examples: [
      { on: [claim], because: 'Unpublished', module: 'shop-v2' },
      { on: [claim], because: 'Binding', module: 'shop-v2', detail: 'REGION' },
    ],
  }),
  ClaimConflict: reason({
    actor: 'author',
    on: oneOrMore('Module'),
    facts: { module: text, object: text },
    message: (f) =>
      `spec.apply.takeOverFrom: ${f.module} lists this Module as well, and both contain ${f.object}; remove one entry`,
    meaning: 'Two Modules list each other in `spec.apply.takeOverFrom`, and have an object in common.',
    advice: (f) => `remove ${f.module} from spec.apply.takeOverFrom, or this Module from that of ${f.module}`,
    examples: [
      {
        on: [{ kind: 'Module', name: 'shop', namespace: 'platform' }],
        module: 'Module shop',
        object: 'ConfigMap app/x',
      },
    ],
  }),
  HandoverPending: reason({
    actor: 'cause',
    on: oneOrMore('Unit'),
    facts: { objects: number, giver: text, receiver: text, cluster: text },
    message: (f) =>
      `${countText(f.objects, 'object')} taken over from ${f.giver} keep its content, without drift correction, until ${f.receiver} is deployed on ${f.cluster}`,
    meaning: 'A Module received objects of another one, and is not deployed yet.',
    advice: (f) => `resolve what ${f.receiver} waits for: lockstep why ${f.receiver}@${f.cluster}`,
    examples: [{ on: [receiver], objects: 3, giver: 'shop-v1', receiver: 'shop-v2', cluster: 'cluster-1' }],
  }),
  HandedOver: reason({
    actor: 'author',
    on: oneOrMore('Unit'),
    facts: { objects: number, owner: text, cluster: text },
    message: (f) =>
      `${countText(f.objects, 'object')} on ${f.cluster} ${f.objects === 1 ? 'is' : 'are'} owned by ${f.owner} (its spec.apply.takeOverFrom)`,
    meaning: 'Another Module took over objects that this Module has as well.',
    advice: (f) =>
      `remove the objects from this Module, or this Module from spec.apply.takeOverFrom of ${f.owner}`,
    examples: [{ on: [receiver], objects: 2, owner: 'shop-v2', cluster: 'cluster-1' }],
  }),
} as const
