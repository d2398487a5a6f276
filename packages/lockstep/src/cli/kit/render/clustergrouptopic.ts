/** What stands instead of KIND/NAME: values files of a Validated Pattern. */
export const CLUSTERGROUP_TOPIC = 'clustergroup'
