import TestDatabases
import Testing

/// The client that the makers of Ory Kratos publish for Python, unchanged, against our server.
@Suite(.onEachDatabase) struct `The published client of Ory Kratos` {
    @Test func `registers, logs in, asks who it is and logs out over sockets`() async throws {
        try await PythonScript("kratos_client.py").passes(basePath: "/")
    }

    @Test(arguments: ["ory_kratos_client", "ory_client"])
    func `does an operator's work`(package: String) async throws {
        try await PythonScript("admin_client.py").passesAsOperator(package)
    }
}
