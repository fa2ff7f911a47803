import LatchkeyCore

extension ExploredStep {
    /// A short description of the step; processes and callers are numbered from 0.
    package var summary: String {
        switch self {
        case .store(let app): "the store, for process \(app)"
        case .hear(let app): "process \(app) hears what came of it"
        case .news(let app): "process \(app) hears that the record has changed"
        case .lock(let app): "process \(app) gets the lock"
        case .overtake(let app): "process \(app) goes on without the lock"
        case .judge(let app, let index): "the server, about question \(index) of process \(app)"
        case .lose(let app, let index): "the network loses question \(index) of process \(app), or its answer"
        case .receive(let app, let index): "process \(app) gets the answer to question \(index)"
        case .ask(let caller): "caller \(caller) asks"
        case .expire(let caller): "caller \(caller) finds its access expired"
        case .leave(let caller): "caller \(caller) gives up waiting"
        case .accept(let app, .pair): "the server accepts a login of process \(app)"
        case .accept(let app, .opaque): "the server accepts a login of process \(app), with an opaque token"
        case .accept(let app, .incomplete):
            "the server accepts a login of process \(app), without a certificate"
        case .admit(let app): "process \(app) hands the login in"
        case .amend(let app): "process \(app) learns of another profile"
        case .signOut(let app): "somebody signs out in process \(app)"
        case .revoke(let family): "the server is told to end login \(SessionHandle.letter(of: family))"
        case .learn(let app): "process \(app) hears from the server that its login is over"
        case .crash(let app): "process \(app) is killed and begins anew"
        case .mood(.fine): "the store works again"
        case .mood(.locked): "the store is locked"
        case .mood(.failing): "the store fails"
        }
    }
}

extension SessionHandle {
    /// The login, token and access of the handle in one word, such as `A1.2`.
    package var summary: String {
        let marks = (isPair ? "" : " opaque") + (isComplete ? "" : " incomplete")
        return "\(Self.letter(of: Int(login)))\(token).\(version % 65_536)\(marks)"
    }

    /// Returns the letter of a login, or its number from the 27th login on.
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
        case .asked(_, .fresher(let handle)): "asked for fresher than \(handle.summary)"
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
        case .remove(.anything, _): "remove what is there"
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
        case .absent: "nobody"
        case .present(let handle): handle.summary
        }
    }
}

extension SessionMachine.Reading {
    fileprivate var summary: String {
        switch self {
        case .present(let handle, _): handle.summary
        case .absent: "nothing"
        case .unavailable(let code): "unavailable (\(code))"
        }
    }
}
