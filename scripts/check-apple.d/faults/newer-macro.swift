// `@Observable` requires iOS 17.
import Observation

@Observable final class Model {  // fault: 'Observable()' is only available in
    var count = 0
}
