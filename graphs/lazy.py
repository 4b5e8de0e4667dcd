"""Attributes that are worked out when they are first asked for.

Belongs here: the one descriptor. Stays out: anything with a domain in it.
"""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class lazy_property(Generic[T]):  # noqa: N801 used as a decorator, like `property`
    """A method that becomes an attribute of its instance at the first look.

    As `functools.cached_property`, without the lock that it takes in Python 3.11 at every first look: an athlete is
    worked on by one thread. A method that raises is asked again at the next look.
    """

    def __init__(self, method: Callable[[Any], T]) -> None:
        self._method = method
        self._name = method.__name__
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> T: ...
    def __get__(self, instance: object | None, owner: type[Any]) -> Self | T:
        if instance is None:
            return self
        value = self._method(instance)
        instance.__dict__[self._name] = value
        return value
