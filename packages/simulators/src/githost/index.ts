// The face of this folder: what others import.
export { BareStore } from './barestore.ts'
export { openGitHost, TestGitHost } from './githost.ts'
