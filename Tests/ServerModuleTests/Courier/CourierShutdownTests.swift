import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite("Shutting down the courier", .onEachDatabase)
struct CourierShutdownTests {
    @Test func `The courier still sends messages while other work is being finished`() async throws {
        let server = try await SelfServiceServer()
        try await server.register()
        let (isWorking, isStopping, canFinish) = (Deferred<Void>(), Deferred<Void>(), Deferred<Void>())
        var resources = server.resources
        // The clean-up is the only worker of this node that uses the database before there are requests.
        resources.database = InterruptedDatabase(server.database, before: 1) {
            isWorking.set(())
            await withTaskCancellationHandler {
                await canFinish.value
            } onCancel: {
                isStopping.set(())
            }
        }
        let node = ServerAssembly(
            server.configuration,
            url: SelfServiceServer.url,
            resources: resources,
            courier: server.courier,
            issuer: nil,
            log: .silent
        )
        node.start()
        await isWorking.value
        let end = Task { await node.shutDown() }
        await isStopping.value

        let flow = await server.begin(.recovery)
        _ = try await server.sendCode(.recovery, flow, to: "person1@example.org")
        await server.messagesAreSent()

        #expect(server.inbox.codes(for: "person1@example.org").count == 1)
        canFinish.set(())
        await end.value
    }
}
