import LatchkeyWire

/// Checks of time limits.
extension TransportConformance {
    /// Checks for transports that measure time limits with a real clock, in order.
    static var timeLimits: [Check] {
        [
            Check(
                requirement: "An exchange ends with timedOut at the request's time limit.",
                run: endsInTime
            ),
            Check(
                requirement: "A time limit can have any length.",
                run: acceptsAnyTimeLimit
            ),
        ]
    }

    /// Checks limits that are as short as possible or shorter, with a server that doesn't respond.
    @Sendable private static func endsInTime(_ fixture: TransportFixture) async throws -> String? {
        let limits: [Duration] = [
            .milliseconds(50), .nanoseconds(1), .zero, .seconds(-1), .seconds(Int64.min),
        ]
        for limit in limits {
            let gate = ResponseGate()
            fixture.reset { _ in
                await gate.wait()
                return HTTP.Response(200)
            }
            let error = await fixture.failure(
                HTTP.Request(.get, "/"),
                to: fixture.origin,
                limits: RequestLimits(timeout: limit)
            )
            gate.open()
            guard error?.code == .timedOut else {
                return "A limit of \(limit) resulted in \(error.map { "\($0.code)" } ?? "a response")."
            }
        }
        return nil
    }

    /// Checks limits that are as long as possible or longer than a transport can measure.
    @Sendable private static func acceptsAnyTimeLimit(_ fixture: TransportFixture) async throws -> String? {
        let limits: [Duration] = [
            .seconds(60), .seconds(24 * 86_400 - 1), .seconds(24 * 86_400), .seconds(1.6e20),
            RequestLimits.noTimeout,
        ]
        for limit in limits {
            let error = await fixture.failure(
                HTTP.Request(.get, "/"),
                to: fixture.origin,
                limits: RequestLimits(timeout: limit)
            )
            if let error { return "A limit of \(limit) resulted in \(error.code)." }
        }
        return nil
    }
}
