// The face of this folder: what others import.

export { BUILT_IN_NAMES, bindingProblem, needsSecret, sharedOf } from './bindingreferences.ts'
export { bindingRefs } from './bindingrefs.ts'
export { fieldPathOf, fieldText } from './fieldpath.ts'
export {
  type BoundValue,
  boundObject,
  boundText,
  mentioned,
  mentionsIn,
  type Values,
  valueAsText,
} from './mention.ts'
export { mentionOutside, misplacedMention, shadowedVariables } from './misplacedmention.ts'
export {
  type BindingFailure,
  type BindingLookup,
  type FieldRef,
  resolveBindings,
  type ValueSources,
} from './resolvebindings.ts'
