// The face of this folder: what others import.
export { postRenderersOf } from './postrenderers.ts'
export { type PostRenderOptions, type PostRenderResult, postRenderFlux } from './postrenderflux.ts'
export type { PostRenderNote } from './postrendernote.ts'
