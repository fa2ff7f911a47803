import Foundation
import LatchkeyModel
import TestProcesses
import Testing

@Suite struct `Secrets at rest and in logs` {
    @Test func `Secrets are stored neither in the database nor in the log`() async throws {
        let folder = TemporaryFolder()
        let run = SecretRun(in: folder.path + "/data")
        try await run.start()
        try await run.perform()
        let database = try run.database()
        let logged = run.logged
        await run.stop()
        let stopped = try run.database()

        // Make sure that the database and the log contain data from this run. If they were empty, the search
        // for secrets would always succeed.
        #expect(database.range(of: Data(SecretRun.phone.utf8)) != nil)
        #expect(logged.range(of: Data("/identity/verification/flow/phone".utf8)) != nil)
        #expect(run.traces.count >= 20)
        for traces in run.traces {
            #expect(traces.found(in: database).isEmpty)
            #expect(traces.found(in: logged).isEmpty)
            #expect(traces.found(in: stopped).isEmpty)
        }

        // The same search finds every encoding of every secret after we add them to the dump.
        for traces in run.traces {
            let planted = traces.traces.reduce(into: database) { $0 += Data([0]) + Data($1.bytes) }
            #expect(traces.found(in: planted).count == traces.traces.count)
        }
    }
}
