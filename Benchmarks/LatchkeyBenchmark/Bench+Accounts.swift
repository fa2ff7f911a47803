import LatchkeyModel

extension Bench {
    private static let tries = 2000
    private static let people = 64

    /// Refusals for accounts that are there and for those that are not, in turns: the times must not tell which.
    func accounts() throws {
        let server = try server()
        defer { server.stop() }
        try enrol(Self.people, on: server)
        Report.line("\n| \(Self.tries) tries each, in turns | known p50 µs | unknown p50 µs | difference |")
        Report.line("|---|---|---|---|")
        let connection = try BlockingConnection(port: server.port)
        let flows: [(String, String, @Sendable (String) -> String)] = [
            (
                "login, wrong password", "login",
                { #"{"method":"password","identifier":"\#($0)","password":"not-the-Horse-7"}"# }
            ),
            ("login, asking for a code", "login", { #"{"method":"code","identifier":"\#($0)"}"# }),
            ("recovery, asking for a code", "recovery", { #"{"method":"code","email":"\#($0)"}"# }),
            ("verification, asking for a code", "verification", { #"{"method":"code","email":"\#($0)"}"# }),
        ]
        for (name, flow, body) in flows {
            var (known, unknown) = (Latencies(), Latencies())
            for number in 0..<Self.tries {
                let person = number % Self.people
                // Who is first changes, too.
                for isKnown in number % 2 == 0 ? [true, false] : [false, true] {
                    let id = try Work.flow(flow, connection)
                    let text = body(isKnown ? Work.email(person) : "nobody\(person)@example.org")
                    let (clock, target) = (ContinuousClock(), "/a/self-service/\(flow)?flow=\(id)")
                    let begin = clock.now
                    _ = try connection.exchange("POST", target, body: text)
                    let time = begin.duration(to: clock.now).wholeMicroseconds
                    if isKnown { known.add(time) } else { unknown.add(time) }
                }
            }
            let (here, nowhere) = (known.percentile(0.5), unknown.percentile(0.5))
            Report.line("| \(name) | \(here) | \(nowhere) | \(here - nowhere) |")
        }
    }
}
