import Glibc

extension Bench {
    /// Measures how much memory idle connections use, and the latency of whoami while they are open.
    func connections() throws {
        let server = try server()
        defer { server.stop() }
        var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let token = try Work.register(try BlockingConnection(port: server.port), person: 3_000_000)
        // The first run warms up the caches and threads, and isn't reported.
        _ = try measure(server, connections: 16, work: Work.whoami(token))
        Report.line("\n" + Report.header)
        let alone = try row("whoami alone", on: server, connections: 16) { _ in Work.whoami(token) }
        let before = try server.usage.memory
        var idle: [BlockingConnection] = []
        for count in [1000, 5000] {
            while idle.count < count {
                let connection = try BlockingConnection(port: server.port)
                guard try connection.exchange("GET", target: Work.loginPath + "/api").status == 200 else {
                    throw BlockingConnection.Failure(what: "a connection was refused")
                }
                idle.append(connection)
            }
            let memory = try server.usage.memory - before
            let loaded = try row("whoami with \(count) idle connections", on: server, connections: 16) {
                _ in
                Work.whoami(token)
            }
            guard let one = Measurement.median(alone), let many = Measurement.median(loaded) else {
                continue
            }
            Report.summary(
                "relative to the first row: throughput %.2f; MiB for the idle connections: %.1f",
                values: many.perSecond / one.perSecond,
                Double(memory) / 1024
            )
        }
    }
}
