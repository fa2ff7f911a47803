package import OnsideKit
package import Testing

/// The route of the logins in tests of OnsideKit.
package enum OnsideRoute {
    /// The route of the current test.
    @TaskLocal package static var current = OnsideLoginRoute.inSDK
}

/// A trait that runs a test with each route: with a phone number and a code, and through the store app.
package struct OnBothRoutes: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for route in [OnsideLoginRoute.inSDK, .appToApp] {
            try await OnsideRoute.$current.withValue(route) { try await function() }
        }
    }
}

extension Trait where Self == OnBothRoutes {
    /// The tests run with a phone number and a code, and again through the store app.
    package static var onBothRoutes: OnBothRoutes { OnBothRoutes() }
}
