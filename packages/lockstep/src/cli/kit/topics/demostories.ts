/** Stories of the demo. */
export const DEMO_STORIES = [
  'platform',
  'fleet',
  'versioned',
  'resourceset',
  'clustergroup',
  'promote',
  'tenancy',
] as const
