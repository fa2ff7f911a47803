// A name that only the package sees, in a public function.
public import LatchkeyModel

public func lock() -> Locked<Int> {  // fault: function cannot be declared public because its result uses a package type
    Locked(0)
}
