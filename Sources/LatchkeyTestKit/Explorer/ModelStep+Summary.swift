import LatchkeyCore

extension ModelStep {
    /// A short description of the step.
    ///
    /// Processes and callers are numbered from 0.
    package var summary: String {
        switch self {
        case .performStoreOperation(let process): "the store performs an operation of process \(process)"
        case .receiveStoreResult(let process): "process \(process) receives the result of the store operation"
        case .receiveChange(let process): "process \(process) is notified of a changed record"
        case .acquireLock(let process): "process \(process) acquires the lock"
        case .proceedWithoutLock(let process): "process \(process) proceeds without the lock"
        case .answerRequest(let process, let index):
            "the server answers request \(index) of process \(process)"
        case .loseRequest(let process, let index):
            "the network loses request \(index) of process \(process) or its response"
        case .receiveResponse(let process, let index):
            "process \(process) receives the response to request \(index)"
        case .requestAccess(let caller): "caller \(caller) requests access"
        case .requestFresherAccess(let caller): "caller \(caller) requests newer credentials"
        case .cancelRequest(let caller): "caller \(caller) stops waiting"
        case .acceptLogin(let process, .pair): "the server accepts a login of process \(process)"
        case .acceptLogin(let process, .opaque):
            "the server accepts a login of process \(process), with an opaque token"
        case .acceptLogin(let process, .incomplete):
            "the server accepts a login of process \(process), without a certificate"
        case .completeLogin(let process): "process \(process) completes the login"
        case .changeSession(let process): "process \(process) receives a changed profile"
        case .signOut(let process): "the user signs out in process \(process)"
        case .revokeLogin(let family): "the server revokes login \(SessionHandle.letter(of: family))"
        case .learnOfRevocation(let process): "process \(process) learns that its login was revoked"
        case .crash(let process): "process \(process) is killed and restarted"
        case .setStoreCondition(.available): "the store becomes available again"
        case .setStoreCondition(.locked): "the store is locked"
        case .setStoreCondition(.failing): "the store fails"
        }
    }
}

extension SessionHandle {
    /// The login and the numbers of its refresh and access tokens in one word, such as `A1.2`.
    ///
    /// The words `opaque` and `incomplete` mark opaque tokens and incomplete logins.
    package var summary: String {
        let marks = (isPair ? "" : " opaque") + (isComplete ? "" : " incomplete")
        return "\(Self.letter(of: Int(login)))\(token).\(version % 65_536)\(marks)"
    }

    /// Returns a login's letter, or its number from the 27th login onwards.
    fileprivate static func letter(of login: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return login < letters.count ? String(letters[login]) : "L\(login)"
    }
}

extension SessionMachine.Event {
    /// A short description of the event.
    package var summary: String {
        switch self {
        case .started: "started"
        case .changed: "changed"
        case .read(let reading, _, let look):
            "read \(reading.summary)\(look == nil ? "" : " for the refresh")"
        case .asked(_, .any): "asked"
        case .asked(_, .fresher(let handle)): "asked for credentials newer than \(handle.summary)"
        case .cancelled: "cancelled"
        case .locked: "locked"
        case .answered(.granted(let successor), let handle):
            "answered \(handle.summary) with \(successor.summary)"
        case .answered(let answer, let handle): "answered \(handle.summary) with \(answer)"
        case .amended(let old, _): "amended \(old.summary)"
        case .saved(let handle, _, _): "saved \(handle.summary)"
        case .saveFailed(let handle, let code, _): "could not save \(handle.summary): \(code)"
        case .loginSucceeded(_, let handle, _): "login succeeded \(handle.summary)"
        case .replaced(_, let handle, _, _): "wrote login \(handle.summary)"
        case .replaceFailed(_, let code, _): "could not write the login: \(code)"
        case .signedOut: "signed out"
        case .ended(let handle): "ended \(handle.summary)"
        case .removed: "removed"
        case .removalFailed: "could not remove"
        }
    }
}

extension SessionMachine.Effect {
    /// A short description of the effect.
    package var summary: String {
        switch self {
        case .read(_, let look): look == nil ? "read" : "read for the refresh"
        case .lock: "lock"
        case .unlock: "unlock"
        case .ask(let handle): "ask about \(handle.summary)"
        case .save(let handle, _, _): "save \(handle.summary)"
        case .replace(_, let handle, _): "write login \(handle.summary)"
        case .remove(.anything, _): "remove any record"
        case .remove(.login(let login), _): "remove login \(SessionHandle.letter(of: Int(login)))"
        case .answer(let caller, let outcome):
            "answer \(caller == .max ? "the login" : "caller \(caller)"): \(outcome.summary)"
        case .announce(let truth): "announce \(truth.summary)"
        }
    }
}

extension SessionMachine.Outcome {
    fileprivate var summary: String {
        switch self {
        case .access(let handle): "access \(handle.summary)"
        case .signedOut: "signed out"
        case .superseded: "superseded"
        case .unavailable: "unavailable"
        case .failed: "failed"
        }
    }
}

extension SessionMachine.Status {
    fileprivate var summary: String {
        switch self {
        case .unread: "unread"
        case .unavailable: "unavailable"
        case .absent: "signed out"
        case .present(let handle): handle.summary
        }
    }
}

extension SessionMachine.Reading {
    fileprivate var summary: String {
        switch self {
        case .present(let handle, _): handle.summary
        case .absent: "no record"
        case .unavailable(let code): "unavailable (\(code))"
        }
    }
}
