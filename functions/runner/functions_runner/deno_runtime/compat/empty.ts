// Takes the place of modules of types and of polyfills that Deno has no need of.
export default undefined;
