extension Bench {
    private static let connectionCounts = [1, 16, 64]

    /// Measures registrations and logins at the minimum hashing cost, with up to 64 concurrent writers.
    func writes() throws {
        let server = try server()
        defer { server.stop() }
        Report.line("\n" + Report.header)
        for (run, connections) in Self.connectionCounts.enumerated() {
            try row("registration, cheapest hash", on: server, connections: connections) {
                Work.registration(run: 10 + run * 10 + $0)
            }
        }
        try enrol(64, on: server)
        for connections in Self.connectionCounts {
            try row("login, cheapest hash", on: server, connections: connections) { _ in
                Work.login(people: 64)
            }
        }
        for connections in Self.connectionCounts {
            try row("login by code", on: server, connections: connections) { _ in Work.codeLogin }
        }
        Report.line("\nmemory after the writes: \(try server.usage.memory) KiB")
    }

    /// Measures token refreshes.
    ///
    /// Each refresh verifies a proof, writes to the database and signs an access token.
    func refreshes() throws {
        let server = try server()
        defer { server.stop() }
        Report.line("\n" + Report.header)
        for connections in Self.connectionCounts {
            let connection = try BlockingConnection(port: server.port)
            let devices = try TokenDevices(connections, over: connection, from: connections * 1000)
            try row("refresh", on: server, connections: connections) { _ in devices.refresh }
        }
    }

    /// Measures logins and registrations at the default hashing cost, and flow init during eight concurrent
    /// logins.
    func hashing() throws {
        let server = try server("default")
        defer { server.stop() }
        Report.line("\n" + Report.header)
        try enrol(8, on: server)
        let login = Work.login(people: 8)
        for connections in [1, 8] {
            try row("login, default hash", on: server, connections: connections) { _ in login }
            try row("registration, default hash", on: server, connections: connections) {
                Work.registration(run: 100 + connections * 10 + $0)
            }
        }
        let idle = try row("flow init alone", on: server, connections: 1) { _ in Work.flowInit }
        let (port, length) = (server.port, seconds * Double(Self.rounds) + 1)
        let background = LoadThread {
            _ = Load(port: port, connections: 8, duration: .seconds(length)).run(login)
        }
        let busy = try row("flow init during 8 logins", on: server, connections: 1) { _ in Work.flowInit }
        background.join()
        if let alone = Measurement.median(idle), let beside = Measurement.median(busy) {
            Report.summary(
                "relative to the row above: p50 %.2f",
                values: Double(beside.p50) / Double(alone.p50)
            )
        }
        Report.line("\nmemory after the hashing: \(try server.usage.memory) KiB")
    }
}
