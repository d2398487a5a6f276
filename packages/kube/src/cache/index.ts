// The face of this folder: what others import.
export { type Informer, type InformerOptions, startInformer } from './informer.ts'
export { type ObjectIndexes, ObjectStore, type ReadOnlyStore } from './objectstore.ts'
export { OptionalKind, type OptionalKindEvents } from './optionalkind.ts'
export { type ScopedInformer, startScopedInformer } from './scopedinformer.ts'
