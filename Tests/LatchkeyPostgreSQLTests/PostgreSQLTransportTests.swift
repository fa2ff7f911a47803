import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServer
import LatchkeyServerKit
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(5))) struct `PostgreSQL over the network` {
    @Test func `TLS is used if the URL requests it and the certificate is valid`() async throws {
        let (server, other) = (try await PostgresListener(), try await PostgresListener())
        let right = Secret(server.url(root: server.certificate))
        let database = try await PostgreSQLDatabase.open(PostgreSQLLocation(right), migrations: .all)
        let isEncrypted: SQL =
            "SELECT ssl::int::bigint FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        #expect(try await database.rows(isEncrypted).first?.integer(0) == 1)
        #expect(try await database.transaction { try $0.rows(isEncrypted).first?.integer(0) } == 1)
        await database.close()

        let wrong = [
            server.url(root: other.certificate),
            server.url(host: "127.0.0.1", root: server.certificate),
        ]
        for url in wrong {
            let error = await error {
                _ = try await PostgreSQLDatabase.open(PostgreSQLLocation(Secret(url)), migrations: .all)
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")
        }
        for server in [server, other] {
            await server.cluster.stop()
            server.cluster.remove()
        }
    }
}
