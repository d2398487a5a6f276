/** Group and version of our kinds. */
export const GROUP = 'lockstep.dev'
export const VERSION = 'v1alpha1'
export const API_VERSION = `${GROUP}/${VERSION}`
