/** Whether the page is embedded in another one (`?embed`): it shows one half at a time, has no menus, and stores nothing. */
export const isEmbedded: boolean = new URLSearchParams(location.search).has('embed');
