/** The number under which a request can be spoken of: the beginning of the key it is stored under. */
export const requestNumber = (key: string): string => `UMW-${key.replaceAll('-', '').slice(0, 8).toUpperCase()}`
