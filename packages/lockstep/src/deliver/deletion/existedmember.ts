/** Objects that existed before Lockstep delivered them: a person confirms their deletion, where no manifest restores them. Pure. */
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'

/** Kinds whose objects hold what no manifest restores. */
const GUARDED: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
])

const isGuarded = ({ group, kind }: Pick<InventoryObject, 'group' | 'kind'>): boolean =>
  GUARDED.has(`${group}/${kind}`)

/** The member of an entry: of guarded kinds wherever it is known, of other kinds only if the object existed. */
export const existedMember = (
  of: Pick<InventoryObject, 'group' | 'kind'>,
  existed: boolean | undefined,
): Pick<InventoryObject, 'existed'> =>
  existed === undefined || (!existed && !isGuarded(of)) ? {} : { existed }

/** An entry of an earlier version does not say: a nonce shows that Lockstep created the object. */
export const needsConfirmation = (entry: InventoryObject, live: Pick<LiveObject, 'nonce'>): boolean =>
  isGuarded(entry) && (entry.existed ?? live.nonce === undefined)
