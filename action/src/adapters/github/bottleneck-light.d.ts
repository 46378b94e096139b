/** The variant without clusters, which the package ships without types of its own. */
declare module 'bottleneck/light.js' {
  export { default } from 'bottleneck';
}
