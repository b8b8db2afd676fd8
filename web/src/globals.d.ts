/** Origin of the published site without a trailing slash, fixed when the pages are built. */
declare const __SITE_URL__: string
