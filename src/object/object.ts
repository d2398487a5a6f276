/** Kubernetes values: what every other folder speaks. No I/O, no clock. */
export * from './digest.ts'
export * from './encode.ts'
export * from './json.ts'
export * from './kube.ts'
export * from './mergepatch.ts'
export * from './names.ts'
export * from './selector.ts'
export * from './time.ts'
