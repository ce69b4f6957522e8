/** The part of jStat that the kernel uses; the package ships no types. */
declare module 'jstat' {
  interface Distribution {
    cdf(x: number, ...parameters: number[]): number;
    inv(p: number, ...parameters: number[]): number;
  }
  const jstat: {
    jStat: {
      normal: Distribution;
      studentt: Distribution;
      beta: Distribution;
      ibeta(x: number, a: number, b: number): number;
      gammaln(x: number): number;
    };
  };
  export default jstat;
}
