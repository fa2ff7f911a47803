import LatchkeyWire

extension Bench {
    /// The number of access tokens of which the server remembers fewer, so that each use is a first one.
    private static let tokenCount = 10_000

    /// Measures the provider, and compares each of its routes with one of the routes for sessions.
    func provider() throws {
        let server = try server()
        defer { server.stop() }
        let connection = try BlockingConnection(port: server.port)
        _ = try server.ask(BenchClient.command)
        let session = try Work.register(connection, person: 3_000_000)
        let devices = try TokenDevices(16, over: connection, from: 3_100_000)
        // Many logins of a user end the oldest grants, so these users only refresh theirs.
        let holders = try AuthorizingBrowsers(16, of: .es256, over: connection, from: 3_200_000)
        let browsers = try AuthorizingBrowsers(16, of: .es256, over: connection, from: 3_300_000)
        let others = try AuthorizingBrowsers(16, of: .rs256, over: connection, from: 3_400_000)
        let tokens = try holders.accessTokens(Self.tokenCount, over: connection)
        let comparisons: [(base: (String, Work.Unit), others: [(String, Work.Unit)])] = [
            (
                ("whoami", Work.whoami(session)),
                [
                    ("userinfo, first use of a token", Work.userInfo(among: tokens)),
                    ("userinfo", Work.userInfo(among: [tokens[0]])),
                ]
            ),
            (
                ("refresh of a session", devices.refresh),
                [
                    ("refresh of a grant, ES256", holders.refresh),
                    ("code flow with consent, ES256", browsers.logIn),
                    ("code flow with consent, RS256", others.logIn),
                ]
            ),
            (("alive", Work.get(Route.alive)), [("login page", try Self.loginPage(over: connection))]),
        ]
        Report.line("\n" + Report.header)
        for (base, others) in comparisons {
            let all = [base] + others
            var rounds: [[Measurement]] = all.map { _ in [] }
            // Measuring in turns lets other load on the machine affect all of them.
            for _ in 0..<Self.rounds {
                for (index, scenario) in all.enumerated() {
                    rounds[index].append(try measure(server, connections: 16, work: scenario.1))
                }
            }
            for (index, scenario) in all.enumerated() {
                Report.row(scenario.0, connections: 16, rounds: rounds[index])
                guard index > 0, let their = Measurement.median(rounds[0]),
                    let our = Measurement.median(rounds[index])
                else { continue }
                Report.summary(
                    "relative to \(base.0): throughput %.2f",
                    values: our.perSecond / their.perSecond
                )
            }
        }
    }

    /// Returns the scenarios of the provider whose instructions are counted.
    static func provider(
        over connection: BlockingConnection,
        from person: Int
    ) throws -> [(name: String, work: Work.Unit)] {
        let browsers = try AuthorizingBrowsers(1, of: .es256, over: connection, from: person)
        let others = try AuthorizingBrowsers(1, of: .rs256, over: connection, from: person + 1)
        let token = try browsers.accessTokens(1, over: connection)
        return [
            ("userinfo", Work.userInfo(among: token)),
            ("refresh of a grant, ES256", browsers.refresh),
            ("code flow with consent, ES256", browsers.logIn),
            ("code flow with consent, RS256", others.logIn),
            ("login page", try loginPage(over: connection)),
        ]
    }

    /// Returns a unit of work that shows the login page of a browser that has opened it before.
    private static func loginPage(over connection: BlockingConnection) throws -> Work.Unit {
        var (target, cookies) = ("/login", [String: Substring]())
        for _ in 0..<4 {
            let header = "Cookie: " + cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") + "\r\n"
            let answer = try connection.exchange("GET", target: target, headers: header)
            guard let location = answer.fields("Location").first else {
                return Work.get(target, headers: header)
            }
            for field in answer.fields("Set-Cookie") {
                let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { cookies[String(pair[0])] = pair[1] }
            }
            target = String(location.trimmingPrefix(LatchkeyServerSubject.url))
        }
        throw BlockingConnection.Failure(what: "the login page isn't shown")
    }
}
