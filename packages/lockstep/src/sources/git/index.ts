// The face of this folder: what others import.
export { type GitCredentials, gitCredentials } from './gitcredentials.ts'
export { gitFault } from './gitfault.ts'
export { parseRemoteRefs, refProblem } from './gitref.ts'
export { type GitFailure, type GitRun, GitRunner } from './gitrunner.ts'
export { type GitUrl, parseGitUrl } from './giturl.ts'
export { rootOf } from './lstree.ts'
export { partsOf, type RefMovement, refMovementOf, unvouched } from './refmovement.ts'
