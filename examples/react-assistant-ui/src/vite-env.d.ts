interface ImportMeta {
  readonly env: { readonly VITE_DETOUR_URL?: string };
}
