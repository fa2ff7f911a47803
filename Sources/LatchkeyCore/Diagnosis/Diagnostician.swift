import LatchkeyModel
import LatchkeyWire

/// The API contract that this client supports.
extension Diagnosis {
    /// The version of the API contract that this client supports.
    static let contract = Release.contract
}

/// Examines the login on this device and creates a report.
package struct Diagnostician: Sendable {
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let time: any TimeSource

    init(api: IdentityAPI, keeper: SessionKeeper, time: any TimeSource) {
        (self.api, self.keeper, self.time) = (api, keeper, time)
    }

    /// Checks the store, the session, the certificate and the server once.
    ///
    /// The session isn't modified.
    ///
    /// The store is read again first, so the session may change if another process has modified it.
    ///
    /// - Returns: The report, which also contains any errors.
    package func callAsFunction() async -> Diagnosis {
        await keeper.ready(again: true)
        let storage = await keeper.queue.run { [record = keeper.record] in record.report }
        return Diagnosis(
            storage: storage,
            session: keeper.state,
            certificate: keeper.held?.stored.certificate,
            server: await server(),
            watchProblem: keeper.watchProblem,
            at: time.now
        )
    }

    /// Requests the server's version, and estimates how far apart the two clocks are.
    private func server() async -> Result<Diagnosis.Server, LatchkeyError> {
        let asked = time.now
        do throws(LatchkeyError) {
            let answer = try await api.version()
            let answered = time.now
            let took = answered - asked
            return .success(
                Diagnosis.Server(
                    version: answer.version,
                    contract: answer.contract,
                    // We assume that the server read its clock halfway between the request and the response.
                    clockAhead: answer.time.map { asked + took / 2 - $0 },
                    answerTime: took
                )
            )
        } catch {
            return .failure(error)
        }
    }
}

extension IdentityAPI {
    /// Requests the server's version, its API contract and its time.
    ///
    /// All three values are `nil` for servers other than Latchkey.
    fileprivate func version() async throws(LatchkeyError)
        -> (version: String?, contract: Int64?, time: Timestamp?)
    {
        let answer = try await exchange(HTTP.Request(.get, server.pathPrefix + Route.version))
        guard answer.status == 200, let json = answer.json, let version = json["version"]?.text else {
            // Other servers don't report a version, so any response that isn't a server error is good enough.
            guard answer.status < 500 else { throw LatchkeyError(rejection: answer) }
            return (nil, nil, nil)
        }
        var contract: Int64?
        if case .integer(let number)? = json["contract"] { contract = number }
        return (version, contract, json["time"]?.text.flatMap { Timestamp(rfc3339: $0) })
    }
}
