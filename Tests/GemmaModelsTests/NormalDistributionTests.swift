import GemmaModels
import Testing

@Suite("The normal distribution's quantiles")
struct NormalDistributionTests {
  @Test(
    "Known values, also in the tails",
    arguments: [
      (0.95, 1.6448536269514722), (0.5, 0), (0.975, 1.959963984540054), (0.9, 1.2815515655446004),
      (0.05, -1.6448536269514722), (0.999, 3.090232306167813), (1e-6, -4.753424308822899),
    ])
  func known(probability: Double, value: Double) {
    #expect(abs(NormalDistribution.quantile(probability) - value) < 1e-9)
  }
}
