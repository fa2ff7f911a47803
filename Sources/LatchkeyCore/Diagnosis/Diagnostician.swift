import LatchkeyModel
import LatchkeyWire

extension Diagnosis {
    /// The contract that this client speaks.
    static let contract = Release.contract
}

/// Examines the login of a device.
package struct Diagnostician: Sendable {
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let time: any TimeSource

    init(api: IdentityAPI, keeper: SessionKeeper, time: any TimeSource) {
        (self.api, self.keeper, self.time) = (api, keeper, time)
    }

    /// Looks at everything once; changes nothing.
    package func callAsFunction() async -> Diagnosis {
        await keeper.ready(again: true)
        let storage = await keeper.queue.run { [store = keeper.store] in store.report }
        return Diagnosis(
            storage: storage,
            session: keeper.state,
            certificate: keeper.held?.stored.certificate,
            server: await server(),
            watchProblem: keeper.watchProblem,
            at: time.now
        )
    }

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
                    // The server looked at its clock somewhere in the middle.
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
    /// Asks which version the server is.
    fileprivate func version() async throws(LatchkeyError)
        -> (version: String?, contract: Int64?, time: Timestamp?)
    {
        let answer = try await exchange(HTTPRequest(.get, server.pathPrefix + Route.version))
        guard answer.status == 200, let json = answer.json, let version = json["version"]?.text else {
            // Another make does not say; that it answers is enough, unless it is in trouble.
            guard answer.status < 500 else { throw LatchkeyError(refusal: ServerRefusal(decoding: answer)) }
            return (nil, nil, nil)
        }
        var contract: Int64?
        if case .integer(let number)? = json["contract"] { contract = number }
        return (version, contract, json["time"]?.text.flatMap { Timestamp(rfc3339: $0) })
    }
}
