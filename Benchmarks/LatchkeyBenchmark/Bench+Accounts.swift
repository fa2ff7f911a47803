import LatchkeyModel

extension Bench {
    private static let tries = 2000
    private static let userCount = 64

    /// Measures rejected logins, alternating between known and unknown accounts.
    ///
    /// Both kinds of login must take the same time.
    func accounts() throws {
        let server = try server()
        defer { server.stop() }
        try enrol(Self.userCount, on: server)
        Report.line("\n| \(Self.tries) alternating attempts | known p50 µs | unknown p50 µs | difference |")
        Report.line("|---|---|---|---|")
        let connection = try BlockingConnection(port: server.port)
        let flows: [(String, String, @Sendable (String) -> String)] = [
            (
                "login, wrong password", "login",
                { #"{"method":"password","identifier":"\#($0)","password":"not-the-Horse-7"}"# }
            ),
            ("login, requesting a code", "login", { #"{"method":"code","identifier":"\#($0)"}"# }),
            ("recovery, requesting a code", "recovery", { #"{"method":"code","email":"\#($0)"}"# }),
            ("verification, requesting a code", "verification", { #"{"method":"code","email":"\#($0)"}"# }),
        ]
        for (name, flow, body) in flows {
            var (known, unknown) = (Latencies(), Latencies())
            for number in 0..<Self.tries {
                let person = number % Self.userCount
                // Alternate between starting with the known account and starting with the unknown account.
                for isKnown in number % 2 == 0 ? [true, false] : [false, true] {
                    let id = try Work.flow(flow, on: connection)
                    let text = body(isKnown ? Work.email(person) : "nobody\(person)@example.org")
                    let (clock, target) = (ContinuousClock(), "/a/self-service/\(flow)?flow=\(id)")
                    let begin = clock.now
                    _ = try connection.exchange("POST", target: target, body: text)
                    let time = begin.duration(to: clock.now).wholeMicroseconds
                    if isKnown { known.add(time) } else { unknown.add(time) }
                }
            }
            let (knownTime, unknownTime) = (known.percentile(0.5), unknown.percentile(0.5))
            Report.line("| \(name) | \(knownTime) | \(unknownTime) | \(knownTime - unknownTime) |")
        }
    }
}
