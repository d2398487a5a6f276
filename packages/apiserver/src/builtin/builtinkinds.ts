import { isReview } from '../auth/reviewfindings.ts'
import type { KindConversion, ScalePaths, ServedKind } from '../resources/servedkind.ts'
import type { BuiltinResource } from '../schema/builtinresource.ts'
import { builtinResources, builtinSchema } from '../schema/builtinresource.ts'
import { compileSchema } from '../schema/compileschema.ts'
import { subjectText } from '../status/apifailure.ts'
import type { ResourceStore } from '../store/resourcestore.ts'
import { builtinRules } from './builtinrules.ts'
import { canonicalQuantities } from './canonicalquantities.ts'
import { eventFromCore, eventToCore } from './eventrules.ts'

/**
 * What this version does not serve: bindings, component statuses, and autoscaling/v1, whose objects are those of v2 in another
 * shape. Reviews answer instead of storing.
 */
const isServed = (r: BuiltinResource): boolean =>
  isReview(r) ||
  (r.verbs.includes('list') &&
    r.verbs.includes('create') &&
    !(r.group === 'autoscaling' && r.version === 'v1'))

/** The built-in kinds of a new cluster. */
export function builtinKinds(store: ResourceStore): ServedKind[] {
  return builtinResources()
    .filter(isServed)
    .map((r) => builtinKind(store, r))
}

function builtinKind(store: ResourceStore, r: BuiltinResource): ServedKind {
  const isNewEvent = r.kind === 'Event' && r.group === 'events.k8s.io'
  const stored = isNewEvent ? { group: '', name: 'events' } : { group: r.group, name: r.plural }
  const schema = builtinSchema(r) ?? compileSchema(undefined)
  return {
    info: r,
    table: store.table(subjectText(stored), 'ordered'),
    schema,
    rules: {
      ...builtinRules(isNewEvent ? '' : r.group, r.kind),
      canonical: (draft) => canonicalQuantities(schema, draft),
    },
    custom: false,
    storageVersion: r.version,
    hasStatus: Object.hasOwn(r.subresources ?? {}, 'status'),
    scale: Object.hasOwn(r.subresources ?? {}, 'scale') ? SCALE : undefined,
    conversion: isNewEvent ? EVENTS : undefined,
  }
}

const SCALE: ScalePaths = {
  specReplicas: '.spec.replicas',
  statusReplicas: '.status.replicas',
  selector: '.spec.selector',
}

const EVENTS: KindConversion = { toStorage: eventToCore, fromStorage: eventFromCore }
