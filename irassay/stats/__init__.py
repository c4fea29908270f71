"""Statistics over topics: which systems differ, how rankings agree, how many topics it takes."""
