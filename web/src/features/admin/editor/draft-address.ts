/** Stands for the id of a post that has none yet. */
export const NEW_POST = 'new'
